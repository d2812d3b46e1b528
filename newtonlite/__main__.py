"""``python -m newtonlite``: the ``newtonlite`` command, where its script is not on the path."""

import sys

from newtonlite.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
