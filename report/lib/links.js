// The links of a version: its folder, its handout, its log, and papers, which SOURCES.md lists with their DOI.
import { escapeHtml } from './svg.js';

// "Satish, Harris, Garland 2009", a link where the paper has a DOI. `words` stand in its row of SOURCES.md only.
export function paper(sources, words) {
  const rows = sources.split('\n').filter((line) => line.startsWith('|') && line.includes(words));
  if (rows.length !== 1) throw new Error(`SOURCES.md has ${rows.length} rows with "${words}", which the page cites`);
  const [text, doi] = rows[0].replace(/^\| | \|$/g, '').split(' | ');
  const names = text
    .split(/["*]/)[0]
    .split(',')
    .map((name) => name.trim().split(' ').at(-1))
    .filter(Boolean);
  const year = text.match(/\b(19|20)\d\d\b(?![.)])/g).at(-1);
  const short = `${names.join(', ')} ${year}`;
  const title = escapeHtml(text.replace(/\*/g, ''));
  const url = /\((https:.*)\)$/.exec(doi.trim())?.[1];
  return url ? `<a href="${url}" title="${title}">${short}</a>` : `<span title="${title}">${short}</span>`;
}

// <!-- links VERSION | words of a paper | .. -->
export const fillLinks = (html, sources, hasLog) =>
  html.replace(/<!-- links (\w+)((?: \| [^|]+?)*) -->/g, (_, version, papers) => {
    const own = [
      `<a href="../${version}/">code</a>`,
      `<a href="../${version}/README.md">handout</a>`,
      ...(hasLog(version) ? [`<a href="../${version}/LOG.md">log</a>`] : []),
    ];
    const cited = papers
      .split(' | ')
      .slice(1)
      .map((words) => paper(sources, words));
    return `<p class="links">${own.join(', ')}${cited.length > 0 ? `; ${cited.join('; ')}` : ''}</p>`;
  });
