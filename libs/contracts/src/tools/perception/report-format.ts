export const reportFormats = ['pdf', 'docx', 'html'] as const;
export type ReportFormat = (typeof reportFormats)[number];
