"""`python -m allotment.cli` is `allotment`, of the Python that runs it."""

from allotment.cli import main

if __name__ == "__main__":
    main()
