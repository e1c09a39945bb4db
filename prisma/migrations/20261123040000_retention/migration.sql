-- CreateIndex
CREATE INDEX "conversation_updated_at_idx" ON "conversation"("updated_at");

-- CreateIndex
CREATE INDEX "memotree_view_state_touched_at_idx" ON "memotree_view_state"("touched_at");
