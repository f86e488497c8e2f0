// replaceFile(path, content): the file gets the content complete or not at all; it is written beside the
// target and renamed. A symbolic link stays, and the file that it names is replaced; permissions stay; a
// device or a pipe is written directly. Throws the error of the failed call, and the file is then unchanged.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

function replaceFile(file, content) {
  const there = fs.statSync(file, { throwIfNoEntry: false });
  if (there && !there.isFile()) {
    fs.writeFileSync(file, content);
    return;
  }
  const target = there ? fs.realpathSync(file) : file;
  const part = path.join(path.dirname(target), `.${path.basename(target)}.${process.pid}.part`);
  try {
    fs.writeFileSync(part, content, { flag: 'wx', mode: there?.mode ?? 0o666 });
    fs.renameSync(part, target);
  } catch (error) {
    fs.rmSync(part, { force: true });
    throw error;
  }
}

module.exports = { replaceFile };
