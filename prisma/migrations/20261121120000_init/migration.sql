-- pgvector and pg_trgm are used where they are there. A Postgres without them works, with weaker search.
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS "vector";
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'no pgvector: %', SQLERRM;
END
$$;

DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS "pg_trgm";
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'no pg_trgm: %', SQLERRM;
END
$$;

-- CreateEnum
CREATE TYPE "tier" AS ENUM ('free', 'pro', 'vip');

-- CreateEnum
CREATE TYPE "gender" AS ENUM ('male', 'female', 'other');

-- CreateEnum
CREATE TYPE "activity_level" AS ENUM ('sedentary', 'light', 'moderate', 'active', 'very_active');

-- CreateTable
CREATE TABLE "api_key" (
    "id" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "user_id" TEXT,
    "tier" "tier" NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user" (
    "tenant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "tier" "tier" NOT NULL DEFAULT 'free',

    CONSTRAINT "user_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "profile" (
    "tenant_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "age" SMALLINT NOT NULL,
    "gender" "gender" NOT NULL,
    "height_cm" DOUBLE PRECISION NOT NULL,
    "weight_kg" DOUBLE PRECISION NOT NULL,
    "activity_level" "activity_level" NOT NULL,
    "health_goals" TEXT[],
    "medical_conditions" TEXT[],
    "dietary_restrictions" TEXT[],
    "last_updated" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "profile_pkey" PRIMARY KEY ("tenant_id","user_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");

-- CreateIndex
CREATE INDEX "api_key_tenant_id_created_at_idx" ON "api_key"("tenant_id", "created_at");
