-- AlterTable
ALTER TABLE "mcp_server" ADD COLUMN     "apps" JSONB NOT NULL DEFAULT '{}';
