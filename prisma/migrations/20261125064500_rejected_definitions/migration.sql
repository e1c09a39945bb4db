-- AlterTable
ALTER TABLE "mcp_server" ADD COLUMN     "rejected" JSONB NOT NULL DEFAULT '[]';
