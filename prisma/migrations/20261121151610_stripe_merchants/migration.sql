-- CreateTable
CREATE TABLE "merchant" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "stripe_account_id" TEXT,
    "status_summary" JSONB,
    "display_name" TEXT,
    "country" TEXT,
    "business_type" TEXT,
    "legal_name" TEXT,
    "email" TEXT,
    "phone" TEXT,
    "bank_last4" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "merchant_pkey" PRIMARY KEY ("id","tenant_id")
);

-- CreateTable
CREATE TABLE "merchant_session" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "merchant_session_pkey" PRIMARY KEY ("id","tenant_id")
);

-- CreateTable
CREATE TABLE "return_origin" (
    "tenant_id" TEXT NOT NULL,
    "origin" TEXT NOT NULL,

    CONSTRAINT "return_origin_pkey" PRIMARY KEY ("tenant_id","origin")
);

-- CreateIndex
CREATE INDEX "merchant_tenant_id_user_id_idx" ON "merchant"("tenant_id", "user_id");

-- CreateIndex
CREATE INDEX "merchant_tenant_id_stripe_account_id_idx" ON "merchant"("tenant_id", "stripe_account_id");

-- AddForeignKey
ALTER TABLE "merchant_session" ADD CONSTRAINT "merchant_session_merchant_id_tenant_id_fkey" FOREIGN KEY ("merchant_id", "tenant_id") REFERENCES "merchant"("id", "tenant_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The row counts its own changes, so a reader can tell without reading it whether it is still the one that it knows.
CREATE FUNCTION count_merchant_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW."version" := OLD."version" + 1;
    NEW."updated_at" := now();
    RETURN NEW;
END
$$;

CREATE TRIGGER "merchant_version" BEFORE UPDATE ON "merchant" FOR EACH ROW EXECUTE FUNCTION count_merchant_version();

-- What the Stripe tools may see: no name of a person, no address, no number. Another platform (a Supabase project, say) makes
-- these three views over tables of its own.
CREATE VIEW "platform_merchant" AS
    SELECT "id" AS "merchant_id", "tenant_id", "user_id", "stripe_account_id", "status_summary", "display_name", "country",
           "business_type", "version"
    FROM "merchant";

CREATE VIEW "platform_session" AS
    SELECT "id" AS "session_id", "tenant_id", "merchant_id", "user_id"
    FROM "merchant_session"
    WHERE "expires_at" IS NULL OR "expires_at" > now();

CREATE VIEW "platform_return_origin" AS SELECT "tenant_id", "origin" FROM "return_origin";

-- The role that they read as. It may read the views and do nothing else. Roles belong to the whole server, so another
-- database of it may have made this one before; whoever may not make roles is told what to do instead.
DO $$
BEGIN
    CREATE ROLE "invoq_platform_reader" NOLOGIN NOINHERIT;
EXCEPTION
    WHEN duplicate_object OR unique_violation THEN NULL;
    WHEN insufficient_privilege THEN
        RAISE NOTICE 'no role invoq_platform_reader: %. Make it by hand, or set PLATFORM_DATABASE_ROLE=none and give PLATFORM_DATABASE_URL a role that can only read the views', SQLERRM;
END
$$;

DO $$
BEGIN
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'invoq_platform_reader') THEN
        GRANT SELECT ON "platform_merchant", "platform_session", "platform_return_origin" TO "invoq_platform_reader";
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO "invoq_platform_reader"', current_schema());
        EXECUTE format('GRANT "invoq_platform_reader" TO %I', current_user);
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'invoq_platform_reader may not read the views: %', SQLERRM;
END
$$;
