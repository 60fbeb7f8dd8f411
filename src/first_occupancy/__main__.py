"""`python -m first_occupancy` is the command line."""

import sys

from first_occupancy.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
