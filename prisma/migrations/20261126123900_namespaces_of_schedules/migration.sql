-- AlterTable
ALTER TABLE "schedule" ADD COLUMN "namespace" TEXT NOT NULL DEFAULT '';
