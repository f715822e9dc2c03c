"""A client of the Debug Adapter Protocol, for the tests: requests, their responses, and the events that come meanwhile."""

import json
import subprocess
import threading


class Client:
    def __init__(self, words):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        # Without the message that a test waits for, reading ends here, and the test fails.
        self.limit = threading.Timer(60, self.process.kill)
        self.limit.daemon = True
        self.limit.start()
        self.sequence = 0
        self.events = []

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, command, arguments=None):
        self.sequence += 1
        request = {"seq": self.sequence, "type": "request", "command": command}
        if arguments is not None:
            request["arguments"] = arguments
        body = json.dumps(request).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return self.sequence

    def read(self):
        length = None
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError(self.process.stderr.read().decode())
            if line == b"\r\n":
                break
            name, _, value = line.decode().partition(":")
            if name.lower() == "content-length":
                length = int(value)
        return json.loads(self.process.stdout.read(length))

    def request(self, command, arguments=None):
        """The response; events that came before it are kept."""
        number = self.send(command, arguments)
        while True:
            message = self.read()
            if message["type"] == "event":
                self.events.append(message)
                continue
            assert message["type"] == "response" and message["request_seq"] == number, message
            assert message["command"] == command, message
            return message

    def body(self, command, arguments=None):
        response = self.request(command, arguments)
        assert response["success"], response
        return response.get("body", {})

    def event(self, name):
        """The next event of this name; others are passed over."""
        while True:
            message = self.events.pop(0) if self.events else self.read()
            assert message["type"] == "event", message
            if message["event"] == name:
                return message.get("body", {})

    def end(self):
        self.process.stdin.close()
        self.process.stdout.read()
        error = self.process.stderr.read().decode()
        status = self.process.wait(timeout=60)
        self.limit.cancel()
        return status, error
