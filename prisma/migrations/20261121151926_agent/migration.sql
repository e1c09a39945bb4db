-- CreateEnum
CREATE TYPE "turn_state" AS ENUM ('running', 'completed', 'failed', 'stopped', 'replaced');

-- CreateTable
CREATE TABLE "conversation" (
    "tenant_id" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "owner" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "conversation_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "chat_turn" (
    "tenant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "conversation_id" UUID NOT NULL,
    "message" TEXT NOT NULL,
    "steps" JSONB NOT NULL DEFAULT '[]',
    "content" TEXT NOT NULL DEFAULT '',
    "state" "turn_state" NOT NULL DEFAULT 'running',
    "input_tokens" INTEGER NOT NULL DEFAULT 0,
    "output_tokens" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "chat_turn_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "skill_data" (
    "tenant_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "skill" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "skill_data_pkey" PRIMARY KEY ("tenant_id","user_id","skill")
);

-- CreateIndex
CREATE INDEX "conversation_tenant_id_owner_updated_at_idx" ON "conversation"("tenant_id", "owner", "updated_at" DESC);

-- CreateIndex
CREATE INDEX "chat_turn_tenant_id_conversation_id_created_at_idx" ON "chat_turn"("tenant_id", "conversation_id", "created_at");

-- AddForeignKey
ALTER TABLE "chat_turn" ADD CONSTRAINT "chat_turn_tenant_id_conversation_id_fkey" FOREIGN KEY ("tenant_id", "conversation_id") REFERENCES "conversation"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
