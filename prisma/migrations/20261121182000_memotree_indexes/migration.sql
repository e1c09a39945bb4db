-- Indexes that answer one question each. A node is looked up by layer and id, which only the primary key and the present one serve:
-- while a new stage is filled, its statistics say that it is empty, and any index beginning with the layer would look as good.
DROP INDEX "memotree_version_layer_id_parent_id_position_node_id_idx";
DROP INDEX "memotree_version_present_children";
DROP INDEX "memotree_version_layer_id_seq_idx";
DROP INDEX "memotree_version_layer_id_changed_at_idx";
DROP INDEX "memotree_version_layer_id_title_idx";

CREATE INDEX "memotree_version_parent_id_layer_id_position_node_id_idx" ON "memotree_version"("parent_id", "layer_id", "position", "node_id");
CREATE INDEX "memotree_version_title_layer_id_idx" ON "memotree_version"("title", "layer_id");

-- What Prisma cannot say. 2147483647 is "until for ever".
CREATE INDEX "memotree_version_present_children" ON "memotree_version"("parent_id", "layer_id", "position", "node_id") WHERE "until_seq" = 2147483647;
CREATE INDEX "memotree_version_committed" ON "memotree_version"("layer_id", "seq") WHERE "seq" > 0;
CREATE INDEX "memotree_version_replaced" ON "memotree_version"("layer_id", "until_seq") WHERE "until_seq" < 2147483647;
CREATE INDEX "memotree_version_newest" ON "memotree_version"("layer_id", "changed_at" DESC, "node_id") WHERE NOT "deleted";
CREATE INDEX "memotree_layer_forks" ON "memotree_layer"("parent_id") WHERE "name" IS NOT NULL;
-- What is staged, whatever a layer holds on the average.
CREATE INDEX "memotree_version_staged" ON "memotree_version"("layer_id") WHERE "seq" = 0;
