// The log of a version from its handout: the table under "## The log", as HTML. So the page tells the
// steps of a version in the words of those who took them, and cannot say something else.
const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const inline = (text) =>
  escaped(text.trim())
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/2\^(\d+)/g, '2<sup>$1</sup>');
const cells = (line) =>
  line
    .replace(/^\||\|$/g, '')
    .split('|')
    .map(inline);

export function logTable(handout, name) {
  const section = /^## The log\n([\s\S]*?)(?=^## )/m.exec(handout)?.[1];
  const lines = section?.split('\n') ?? [];
  const start = lines.findIndex((line) => line.startsWith('|'));
  if (start < 0) throw new Error(`${name}: no table under "## The log"`);
  const conditions = lines.slice(0, start).join(' ').trim();
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'));
  const [head, , ...rows] = lines.slice(start, start + length).map(cells);
  const row = (list, tag) => `<tr>${list.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return (
    `<p class="note">${inline(conditions)}</p>\n<div class="scroll" tabindex="0"><table class="plain"><thead>${row(head, 'th')}</thead><tbody>\n` +
    `${rows
      .filter((list) => list.some((cell) => cell !== ''))
      .map((list) => row(list, 'td'))
      .join('\n')}\n</tbody></table></div>`
  );
}
