-- New links and tags stand in their index at once: what waits in a list of its own is read whole by every question.
ALTER INDEX "memotree_version_targets_idx" SET (fastupdate = off);
ALTER INDEX "memotree_version_tags_idx" SET (fastupdate = off);
ALTER INDEX "memotree_version_relations_idx" SET (fastupdate = off);
