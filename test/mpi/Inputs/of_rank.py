# of_rank.py [--kill N] COMMAND…: the command with the rank's number in place of RANK; rank N is killed after 3 seconds.
import os
import sys
import time

arguments = sys.argv[1:]
rank = os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ.get("PMI_RANK") or "0"
if arguments[0] == "--kill":
    if arguments[1] == rank and os.fork() == 0:
        time.sleep(3)
        os.kill(os.getppid(), 9)
        os._exit(0)
    arguments = arguments[2:]
arguments = [each.replace("RANK", rank) for each in arguments]
os.execvp(arguments[0], arguments)
