"""replace_file(PATH): a file that appears complete or not at all, as scripts/replace_file.sh writes it."""

import contextlib
import os


@contextlib.contextmanager
def replace_file(path):
    """A text file to write to. At the end of the block it gets the path's name; after an exception what was there
    is unchanged."""
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "w", encoding="utf-8", newline="") as file:
            yield file
        os.replace(part, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
