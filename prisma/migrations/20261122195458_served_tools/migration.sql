-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "approves_tools" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "serves" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "served_tool" (
    "tenant_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "contract" JSONB NOT NULL,
    "announced_by" TEXT NOT NULL,
    "announced_at" TIMESTAMPTZ(3) NOT NULL,
    "approved_by" TEXT,
    "approved_at" TIMESTAMPTZ(3),

    CONSTRAINT "served_tool_pkey" PRIMARY KEY ("tenant_id","name","version")
);
