import { clientRows } from './clients/rows.js';
import { documentRows } from './documents/rows.js';
import { findingRows } from './finding/rows.js';
import { listRows } from './lists/rows.js';
import { openApiRows } from './openapi/rows.js';
import { reportRows } from './reports/rows.js';
import type { Row } from './row.js';
import { httpRows } from './servers/http-rows.js';
import { modelAndPageRows } from './servers/model-and-page-rows.js';
import { offersRow } from './servers/offers-row.js';
import { askingRow, stdioRows } from './servers/stdio-rows.js';

export const allRows: readonly Row[] = [
  ...stdioRows,
  askingRow,
  ...modelAndPageRows,
  offersRow,
  ...httpRows,
  ...clientRows,
  ...listRows,
  ...findingRows,
  ...documentRows,
  ...openApiRows,
  ...reportRows,
];
