-- CreateEnum
CREATE TYPE "document_type" AS ENUM ('public', 'internal');

-- CreateTable
CREATE TABLE "knowledge_collection" (
    "id" SERIAL NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "knowledge_collection_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "knowledge_document" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "collection_id" INTEGER NOT NULL,
    "path" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "title_en" TEXT,
    "domain" TEXT,
    "type" "document_type" NOT NULL,
    "tags" TEXT[],
    "source_url" TEXT,
    "repo_path" TEXT,
    "source" TEXT,
    "content" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "last_updated" TIMESTAMPTZ(3) NOT NULL,
    "imported_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "knowledge_document_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "knowledge_section" (
    "id" SERIAL NOT NULL,
    "document_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "anchor" TEXT,
    "heading_path" TEXT[],
    "title" TEXT NOT NULL,
    "title_en" TEXT,
    "summary" TEXT,
    "key_terms" TEXT[],
    "source" TEXT,
    "source_url" TEXT,
    "content" TEXT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "knowledge_section_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "knowledge_collection_tenant_id_name_key" ON "knowledge_collection"("tenant_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "knowledge_document_collection_id_path_key" ON "knowledge_document"("collection_id", "path");

-- CreateIndex
CREATE INDEX "knowledge_section_document_id_position_idx" ON "knowledge_section"("document_id", "position");

-- AddForeignKey
ALTER TABLE "knowledge_document" ADD CONSTRAINT "knowledge_document_collection_id_fkey" FOREIGN KEY ("collection_id") REFERENCES "knowledge_collection"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "knowledge_section" ADD CONSTRAINT "knowledge_section_document_id_fkey" FOREIGN KEY ("document_id") REFERENCES "knowledge_document"("id") ON DELETE CASCADE ON UPDATE CASCADE;
