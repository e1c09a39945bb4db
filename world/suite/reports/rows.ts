import type { Row } from '../row.js';
import { answerReports } from './answers.js';
import { byteReports } from './bytes.js';
import { definitionReports } from './definitions.js';
import { doorRows } from './door.js';
import { registrationRows } from './registration.js';
import { rowOf } from './report.js';

export const reportRows: readonly Row[] = [
  ...[...definitionReports, ...answerReports, ...byteReports].map(rowOf),
  ...registrationRows,
  ...doorRows,
];
