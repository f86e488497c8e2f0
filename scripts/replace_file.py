"""replace_file(PATH): a file that appears complete or not at all, as scripts/replace_file.sh writes it."""

import contextlib
import io
import os
import tempfile


@contextlib.contextmanager
def replace_file(path):
    """Text to write to. At the end of the block it is written beside the target and renamed; after an exception
    the target is unchanged. A symbolic link stays, and the file that it names is replaced; permissions stay;
    a device or a pipe is written directly."""
    text = io.StringIO(newline="")
    yield text
    content = text.getvalue().encode("utf-8")
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            file.write(content)
        return
    target = os.path.realpath(path)
    mask = os.umask(0)
    os.umask(mask)
    mode = os.stat(target).st_mode & 0o7777 if os.path.exists(target) else 0o666 & ~mask
    descriptor, part = tempfile.mkstemp(prefix=".replace.", dir=os.path.dirname(target))
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
        os.chmod(part, mode)
        os.replace(part, target)
    except BaseException:
        os.unlink(part)
        raise
