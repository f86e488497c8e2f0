// Reads parts of a version's handout and log as HTML, so that the page and these files cannot disagree.
const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
export const inline = (text) =>
  escaped(text.trim())
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/2\^(\d+)/g, '2<sup>$1</sup>');
const cells = (line) =>
  line
    .replace(/^\||\|$/g, '')
    .split('|')
    .map(inline);

// The text under a heading up to the next one, or '' without that heading.
const sectionOf = (handout, heading) => `${handout}\n## `.split(`\n## ${heading}\n`)[1]?.split(/^## /m)[0] ?? '';

// The title, and the first paragraph under "## The idea".
export function introduction(handout, name) {
  const title = /^# (.+)/.exec(handout)?.[1];
  const idea = sectionOf(handout, 'The idea')
    .trim()
    .split(/\n\s*\n/)[0];
  if (!title || !idea) throw new Error(`${name}: the page needs a title in line 1 and a paragraph under "## The idea"`);
  return { title: inline(title), idea: inline(idea) };
}

// The table under "## The log".
export function logTable(handout, name) {
  const lines = sectionOf(handout, 'The log').split('\n');
  const start = lines.findIndex((line) => line.startsWith('|'));
  if (start < 0) throw new Error(`${name}: no table under "## The log"`);
  const conditions = lines.slice(0, start).join(' ').trim();
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'));
  const [head, , ...rows] = lines.slice(start, start + length).map(cells);
  const row = (list, tag) => `<tr>${list.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return (
    `<p class="note">${inline(conditions)}</p>\n<div class="scroll" tabindex="0" role="region" aria-label="The log of ${name.split('/')[0]}"><table class="plain"><thead>${row(head, 'th')}</thead><tbody>\n` +
    `${rows
      .filter((list) => list.some((cell) => cell !== ''))
      .map((list) => row(list, 'td'))
      .join('\n')}\n</tbody></table></div>`
  );
}
