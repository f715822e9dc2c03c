"""While a run goes on: other Python threads run, Ctrl-C and other signals end it."""
import signal
import subprocess
import sys
import threading
import time

import pytest
import warptime


def test_other_threads_run_meanwhile():
    done = threading.Event()
    worker = threading.Thread(target=lambda: (warptime.run("matmul:tiled", n=192, threads=1), done.set()))
    turns = 0
    worker.start()
    while not done.is_set():
        time.sleep(0.001)
        turns += 1
    worker.join()
    assert turns > 10


def test_runs_in_several_threads_have_the_same_results():
    cycles, errors = [], []

    def work(n):
        cycles.append(warptime.run("vecadd", n=n).total.cycles)
        try:
            warptime.run("vecadd", n=0)
        except warptime.Error as error:
            errors.append(error.diagnostics)

    threads = [threading.Thread(target=work, args=(5000,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cycles == [warptime.run("vecadd", n=5000).total.cycles] * 4
    assert len(errors) == 4 and len(set(errors)) == 1


class Alarm(Exception):
    pass


@pytest.mark.parametrize("keywords", [{}, {"functional": True}])
def test_what_a_handler_raises_ends_the_run(keywords):
    def ring(number, frame):
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        start = time.monotonic()
        with pytest.raises(Alarm):
            warptime.run("matmul", n=4096, check=False, **keywords)
        assert time.monotonic() - start < 10
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert warptime.run("vecadd", n=10).ok  # nothing of it is left


@pytest.mark.parametrize("call", ['warptime.run("matmul", n=4096)',
                                  'warptime.sweep("matmul", n=[2048, 4096], jobs=2, check=False)'])
def test_control_c(call):
    program = f"import warptime, pandas\nprint('ready', flush=True)\ntry:\n    {call}\nexcept KeyboardInterrupt:\n    print('interrupted')\n"
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[0] == "interrupted\n" and process.returncode == 0


def test_the_users_own_processes_stay_theirs():
    child = subprocess.Popen(["sleep", "0.01"])
    time.sleep(0.1)  # it has ended, and nobody has asked for its status
    warptime.sweep("vecadd", n=[10, 20])
    assert child.wait() == 0
