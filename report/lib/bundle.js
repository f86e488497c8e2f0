// Makes one script of ES modules: each becomes a function of its own, after those that it imports.
//   import { a, b } from './x.js';    const { a, b } = modules['x.js'];
//   export const c = 1;               const c = 1; ... return { c };
// That is enough for modules that import by plain names from files beside them.
import fs from 'node:fs';
import path from 'node:path';

const IMPORT = /^import\s+(\{[^}]*\})\s+from\s+'\.\/([^']+)';\n/gm;
const EXPORT = /^export (?=(?:async )?(?:function|const|let|class)\s+(\w+))/gm;

export function bundle(entry) {
  const folder = path.dirname(entry);
  const done = new Set();
  let text = 'const modules = {};\n';
  const add = (name) => {
    if (done.has(name)) return;
    done.add(name);
    const source = fs.readFileSync(path.join(folder, name), 'utf8');
    for (const [, , imported] of source.matchAll(IMPORT)) add(imported);
    const exported = [...source.matchAll(EXPORT)].map(([, word]) => word);
    const body = source
      .replace(IMPORT, (all, words, imported) => (/ as /.test(words) ? all : `const ${words} = modules['${imported}'];\n`))
      .replace(EXPORT, '');
    if (/^(import|export)\b/m.test(body)) throw new Error(`${name}: an import or export that bundle.js does not know`);
    text += `modules['${name}'] = (() => {\n${body}return { ${exported.join(', ')} };\n})();\n`;
  };
  add(path.basename(entry));
  return text;
}
