// Code of the repository as HTML, cut from its file when the page is built, so that the page cannot show other code than
// the folder has.
import hljs from 'highlight.js/lib/core';
import cpp from 'highlight.js/lib/languages/cpp';

// C++ with CUDA's qualifiers.
hljs.registerLanguage('cuda', (library) => {
  const language = cpp(library);
  language.keywords.keyword.push('__global__', '__device__', '__host__', '__shared__', '__forceinline__', '__launch_bounds__');
  return language;
});

// The lines of the function or table `name`, from its first line after the comment before it to the brace in column 1.
function definition(lines, name, file) {
  const starts = new RegExp(`^( {4})?(?! |//|#|return).*\\b${name}(\\(|\\[| =)`);
  const ends = (line) => /^}/.test(line);
  const found = lines.findIndex((line, i) => {
    if (!starts.test(line)) return false;
    const stop = lines.slice(i).find((one) => /[;{]$/.test(one) || ends(one));
    return stop !== undefined && stop.endsWith('{');
  });
  if (found < 0) throw new Error(`${file} has no function ${name}, which the page shows`);
  let first = found;
  while (first > 0 && lines[first - 1] !== '' && !/^\/\/|^#|^}|;$/.test(lines[first - 1])) first--;
  return lines.slice(first, found + lines.slice(found).findIndex(ends) + 1);
}

// The part of a function between the lines that begin with two texts; all of it without them.
export function cut(source, name, file, from, to) {
  const lines = definition(source.split('\n'), name, file);
  if (!from) return lines;
  const at = (text, start) => {
    const found = lines.findIndex((line, i) => i >= start && line.trim().startsWith(text));
    if (found < 0) throw new Error(`${file}: ${name} has no line that begins with "${text}", which the page shows`);
    return found;
  };
  const first = at(from, 0);
  const part = lines.slice(first, at(to, first) + 1);
  const indented = (line) => line !== '' && !line.startsWith('#');
  const indent = Math.min(...part.filter(indented).map((line) => line.search(/\S/)));
  return part.map((line) => (indented(line) ? line.slice(indent) : line));
}

// <!-- code FILE NAME --> or <!-- code FILE NAME | first words | last words -->; `read` returns a file's text.
export const fillCode = (html, read) =>
  html.replace(/<!-- code (\S+) (\w+)(?: \| (.+?) \| (.+?))? -->/g, (_, file, name, from, to) => {
    const text = cut(read(file), name, file, from, to).join('\n');
    return (
      `<figure class="code"><figcaption><a href="../${file}"><code>${file}</code></a></figcaption>` +
      `<pre tabindex="0" role="region" aria-label="${name} in ${file}"><code data-file="${file}">` +
      `${hljs.highlight(text, { language: 'cuda' }).value}</code></pre></figure>`
    );
  });
