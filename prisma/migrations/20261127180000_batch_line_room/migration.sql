-- A line changes two times or three. With room in its page, the index is not written again.
ALTER TABLE "batch_line" SET (fillfactor = 40);
