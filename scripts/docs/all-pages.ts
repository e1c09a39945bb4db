// All pages, in the order in which lists show them.
import { Catalog, tools } from '#lib/contracts';
import { chineseTools } from './chinese-tools.js';
import { addressOf, tableOf, type Page } from './page.js';
import { alertsPage, commandsPage, errorsPage, metricsPage, settingsPage } from './reference-tables.js';
import { toolFieldsPage } from './tool-fields.js';
import { toolPage } from './tool-page.js';
import { chinese, english } from './tool-words.js';
import { placesOfPages, writtenPage } from './written-pages.js';

export async function allPages(): Promise<readonly Page[]> {
  const places = placesOfPages();
  const written = [...places.keys()].map((file) => writtenPage(file, places));
  const contracts = new Catalog(tools).listed;
  const ofTools = [
    ...contracts.map((contract) => toolPage(contract, english)),
    ...contracts.filter(({ name }) => name in chineseTools).map((contract) => toolPage(contract, chinese)),
  ];
  const tables = [toolFieldsPage(), errorsPage(), settingsPage(), await metricsPage(), alertsPage(), await commandsPage()];
  return [...written, listOfTools(ofTools, ''), listOfTools(ofTools, 'zh/'), ...ofTools, ...tables];
}

function listOfTools(pages: readonly Page[], prefix: '' | 'zh/'): Page {
  const rows = pages
    .filter(({ slug }) => slug.startsWith(`${prefix}reference/`))
    .map(({ slug, title, description }) => [`[${title}](${addressOf(slug)})`, description]);
  const words = prefix
    ? ['工具一览', '来自中文源文档的工具。全部工具见英文页面。', '工具', '说明']
    : ['All tools', 'Every tool of the product, with what it does.', 'tool', 'what it does'];
  const [title = '', description = '', ...head] = words;
  return { slug: `${prefix}reference/tools`, title, description, body: tableOf(head, rows) };
}
