// Reads parts of a version's handout as HTML, so that the page and these files cannot disagree.
import { raised } from '../page/js/format.js';

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
export const inline = (text) =>
  escaped(text.trim())
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/2\^(\d+)/g, (_, power) => `2${raised(power)}`);

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
