-- CreateEnum
CREATE TYPE "memotree_node_type" AS ENUM ('Concept', 'Memory', 'Plan', 'Reference', 'Code');

-- CreateEnum
CREATE TYPE "memotree_task_state" AS ENUM ('Pending', 'InProgress', 'Completed', 'Failed');

-- CreateTable
CREATE TABLE "memotree_workspace" (
    "id" SERIAL NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memotree_workspace_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "memotree_layer" (
    "id" SERIAL NOT NULL,
    "workspace_id" INTEGER NOT NULL,
    "parent_id" INTEGER,
    "parent_seq" INTEGER NOT NULL,
    "name" TEXT,
    "session_id" INTEGER,
    "head_seq" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memotree_layer_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "memotree_session" (
    "id" SERIAL NOT NULL,
    "workspace_id" INTEGER NOT NULL,
    "principal" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "branch_id" INTEGER NOT NULL,

    CONSTRAINT "memotree_session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "memotree_version" (
    "layer_id" INTEGER NOT NULL,
    "node_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "until_seq" INTEGER NOT NULL,
    "deleted" BOOLEAN NOT NULL DEFAULT false,
    "parent_id" TEXT,
    "position" TEXT COLLATE "C" NOT NULL,
    "type" "memotree_node_type" NOT NULL,
    "title" TEXT NOT NULL,
    "tags" TEXT[],
    "detail_hash" TEXT NOT NULL,
    "detail_chars" INTEGER NOT NULL,
    "detail_tokens" INTEGER NOT NULL,
    "brief_hash" TEXT,
    "summary_hash" TEXT,
    "summary_of" TEXT,
    "relations" JSONB NOT NULL,
    "targets" TEXT[],
    "state_hash" TEXT NOT NULL,
    "base_layer_id" INTEGER,
    "base_seq" INTEGER,
    "message" TEXT NOT NULL DEFAULT '',
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memotree_version_pkey" PRIMARY KEY ("layer_id","node_id","seq")
);

-- CreateTable
CREATE TABLE "memotree_text" (
    "workspace_id" INTEGER NOT NULL,
    "hash" TEXT NOT NULL,
    "text" TEXT NOT NULL,

    CONSTRAINT "memotree_text_pkey" PRIMARY KEY ("workspace_id","hash")
);

-- CreateTable
CREATE TABLE "memotree_summary" (
    "workspace_id" INTEGER NOT NULL,
    "source_hash" TEXT NOT NULL,
    "state" "memotree_task_state" NOT NULL DEFAULT 'Pending',
    "brief" TEXT,
    "summary" TEXT,
    "method" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memotree_summary_pkey" PRIMARY KEY ("workspace_id","source_hash")
);

-- CreateTable
CREATE TABLE "memotree_commit" (
    "seq" SERIAL NOT NULL,
    "workspace_id" INTEGER NOT NULL,
    "layer_id" INTEGER NOT NULL,
    "hash" TEXT NOT NULL,
    "parent_seq" INTEGER NOT NULL,
    "merged_layer" INTEGER,
    "merged_seq" INTEGER,
    "message" TEXT NOT NULL,
    "author_name" TEXT NOT NULL,
    "author_email" TEXT NOT NULL,
    "authored_at" TEXT NOT NULL,
    "committer" TEXT NOT NULL,
    "committed_at" TIMESTAMPTZ(3) NOT NULL,
    "changes" INTEGER NOT NULL,

    CONSTRAINT "memotree_commit_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "memotree_tag" (
    "workspace_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,

    CONSTRAINT "memotree_tag_pkey" PRIMARY KEY ("workspace_id","name")
);

-- CreateTable
CREATE TABLE "memotree_view_state" (
    "session_id" INTEGER NOT NULL,
    "view" TEXT NOT NULL,
    "node_id" TEXT NOT NULL,
    "level" SMALLINT NOT NULL,
    "expanded" BOOLEAN NOT NULL,
    "folded" BOOLEAN NOT NULL,
    "touched_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "memotree_view_state_pkey" PRIMARY KEY ("session_id","view","node_id")
);

-- CreateTable
CREATE TABLE "memotree_effect" (
    "key" TEXT NOT NULL,
    "answer" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memotree_effect_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE UNIQUE INDEX "memotree_workspace_tenant_id_name_key" ON "memotree_workspace"("tenant_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "memotree_layer_workspace_id_name_key" ON "memotree_layer"("workspace_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "memotree_layer_session_id_parent_id_key" ON "memotree_layer"("session_id", "parent_id");

-- CreateIndex
CREATE UNIQUE INDEX "memotree_session_workspace_id_principal_key_key" ON "memotree_session"("workspace_id", "principal", "key");

-- CreateIndex
CREATE INDEX "memotree_version_layer_id_parent_id_position_node_id_idx" ON "memotree_version"("layer_id", "parent_id", "position", "node_id");

-- CreateIndex
CREATE INDEX "memotree_version_layer_id_seq_idx" ON "memotree_version"("layer_id", "seq");

-- CreateIndex
CREATE INDEX "memotree_version_layer_id_changed_at_idx" ON "memotree_version"("layer_id", "changed_at" DESC);

-- CreateIndex
CREATE INDEX "memotree_version_layer_id_title_idx" ON "memotree_version"("layer_id", "title");

-- CreateIndex
CREATE INDEX "memotree_version_targets_idx" ON "memotree_version" USING GIN ("targets");

-- CreateIndex
CREATE INDEX "memotree_version_tags_idx" ON "memotree_version" USING GIN ("tags");

-- CreateIndex
CREATE INDEX "memotree_version_relations_idx" ON "memotree_version" USING GIN ("relations" jsonb_path_ops);

-- CreateIndex
CREATE INDEX "memotree_summary_state_due_at_idx" ON "memotree_summary"("state", "due_at");

-- CreateIndex
CREATE INDEX "memotree_commit_layer_id_seq_idx" ON "memotree_commit"("layer_id", "seq");

-- CreateIndex
CREATE UNIQUE INDEX "memotree_commit_workspace_id_hash_key" ON "memotree_commit"("workspace_id", "hash");

-- CreateIndex
CREATE INDEX "memotree_tag_seq_idx" ON "memotree_tag"("seq");

-- CreateIndex
CREATE INDEX "memotree_view_state_session_id_view_touched_at_idx" ON "memotree_view_state"("session_id", "view", "touched_at");

-- CreateIndex
CREATE INDEX "memotree_effect_at_idx" ON "memotree_effect"("at");

-- What Prisma cannot say: the present versions alone. 2147483647 is "until for ever" (apps/memotree-worker/src/store/lineage.ts).
-- History may grow without these growing with it.
CREATE UNIQUE INDEX "memotree_version_present" ON "memotree_version"("layer_id", "node_id") WHERE "until_seq" = 2147483647;
CREATE INDEX "memotree_version_present_children" ON "memotree_version"("layer_id", "parent_id", "position", "node_id") WHERE "until_seq" = 2147483647;
