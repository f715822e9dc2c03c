#!/bin/sh
# Stands for nvcc in the tests: what it does, the submission says in a comment (FAKE:...).
here=$(cd "$(dirname "$0")" && pwd)
for file; do :; done
mode=$(sed -n 's/.*FAKE:\([a-z]*\).*/\1/p' "$file" | head -n 1)
case " $* " in *" -M "*) echo "s.o : $file /usr/include/stdio.h" >files; lists=yes ;; *) lists= ;; esac
case "$mode" in
  foreign) echo "s.o : $file \\
    /etc/passwd" >files ;;
  sleep) sleep 98765 ;;
  background) sleep 98765 & ;;
  chatter) yes ;;
  killed) kill -9 $$ ;;
  environment) echo "$file:1:1: error: $(env | sed 's/=.*//' | sort | tr '\n' ' ')" ; exit 1 ;;
  elsewhere)
    echo "/etc/passwd:1:1: error: root:x:0:0 the-secret-of-the-teacher-4711"
    echo "    1 | the-secret-of-the-teacher-4711"
    echo "$file(2): warning: the-secret-of-the-teacher-4711"
    echo "$file(2): error: mine"
    exit 1 ;;
  silent) exit 1 ;;
  nothing) exit 0 ;;
  input) cat ; pwd >result ;;
esac
[ -n "$lists" ] || cp "$here/solution.ptx" result
