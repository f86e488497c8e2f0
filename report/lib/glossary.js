// The course's glossary (labs/glossary.md) as a section of the page, and links to it from the text.
import { inline } from './handout.js';

const ALIASES = {
  scan: 'exclusive scan',
  'atomic additions': 'atomic operation',
  multiprocessor: 'SM',
  'radix sort': 'LSD radix sort',
  blocks: 'block',
  kernels: 'kernel',
  Thrust: 'Thrust, CUB',
  CUB: 'Thrust, CUB',
  host: 'device, host',
};
const idOf = (term) => `term-${term.toLowerCase().replace(/[^a-z]+/g, '-')}`;

// {term: HTML}
export function glossaryOf(markdown) {
  const entries = markdown.split(/\n\s*\n/).map((part) => /^\*\*(.+?)\*\* (.+)$/s.exec(part.replace(/\n/g, ' ')));
  return new Map(entries.filter(Boolean).map(([, term, text]) => [term, inline(text).replace(/\*([^*]+)\*/g, '<em>$1</em>')]));
}

export const glossaryHtml = (terms) =>
  `<dl class="limits glossary">\n${[...terms].map(([term, text]) => `<dt id="${idOf(term)}">${term}</dt><dd>${text}</dd>`).join('\n')}\n</dl>`;

// <em>tile</em>: a link where the glossary, on `page`, has the term.
export const linkTerms = (html, terms, page) =>
  html.replace(/<em>([^<]+)<\/em>/g, (all, text) => {
    const small = text.toLowerCase();
    const term = [text, ALIASES[text], small.replace(/s$/, ''), small].find((one) => terms.has(one));
    const title = terms
      .get(term)
      ?.replace(/<[^>]*>/g, '')
      .replace(/"/g, '&quot;');
    return term ? `<a class="term" href="${page}#${idOf(term)}" title="${title}">${text}</a>` : all;
  });
