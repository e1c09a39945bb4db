-- What a feeder has taken up is a place in the batch, and no longer a change of each of its lines.
ALTER TABLE "batch" ADD COLUMN "taken" INTEGER NOT NULL DEFAULT 0;

-- The statement that adds lines looks at their batch itself, once for all of them. To look once more for each line took a third of its time.
ALTER TABLE "batch_line" DROP CONSTRAINT "batch_line_batch_id_fkey";

-- The lines of a batch still go with it.
CREATE FUNCTION forget_batch_lines() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM batch_line l USING gone WHERE l.batch_id = gone.id;
    RETURN NULL;
END $$;
CREATE TRIGGER lines_forgotten AFTER DELETE ON "batch"
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_batch_lines();

-- A line changes once, and then has no call any more.
ALTER TABLE "batch_line" SET (fillfactor = 70);
