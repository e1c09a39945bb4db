-- AlterTable
ALTER TABLE "mcp_server" ADD COLUMN     "tenant_id" TEXT;

-- CreateIndex
CREATE INDEX "mcp_server_tenant_id_idx" ON "mcp_server"("tenant_id");

-- What Prisma cannot say: a tenant's own server never has the name of one for all. Servers from before are for all, as they were.
ALTER TABLE "mcp_server" ADD CONSTRAINT "mcp_server_of_tenant" CHECK (
    CASE WHEN "tenant_id" IS NULL THEN strpos("name", '/') = 0 ELSE starts_with("name", "tenant_id" || '/') END
);
