// replaceFile(path, content): the file gets the content complete or not at all; it is written beside the
// target and renamed. Throws the error of the failed call, and the file is then unchanged.
'use strict';
const fs = require('node:fs');

function replaceFile(file, content) {
  const part = `${file}.${process.pid}.part`;
  try {
    fs.writeFileSync(part, content);
    fs.renameSync(part, file);
  } catch (error) {
    fs.rmSync(part, { force: true });
    throw error;
  }
}

module.exports = { replaceFile };
