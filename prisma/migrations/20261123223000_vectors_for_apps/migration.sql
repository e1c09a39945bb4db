-- The tables of vectors are made at run time, by apps that may connect as a role that owns nothing. These functions look up names in this
-- schema alone.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- The id of an embedding model with its table, which is made if necessary, and which who calls may read and change. Fails without pgvector.
CREATE FUNCTION open_retrieval_model(model_name TEXT, model_dimension INT) RETURNS INT LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    model_id INT;
    vectors TEXT;
    place TEXT;
BEGIN
    -- Two workers may start at the same time.
    PERFORM pg_advisory_xact_lock(hashtext('retrieval_model'));
    SELECT id INTO model_id FROM retrieval_model WHERE name = model_name AND dimension = model_dimension;
    IF model_id IS NOT NULL THEN RETURN model_id; END IF;
    CREATE EXTENSION IF NOT EXISTS vector;
    SELECT nspname INTO place FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector';
    INSERT INTO retrieval_model (name, dimension) VALUES (model_name, model_dimension) RETURNING id INTO model_id;
    vectors := 'retrieval_vector_' || model_id;
    EXECUTE format(
        'CREATE TABLE %I (unit_id INT PRIMARY KEY REFERENCES retrieval_unit ON DELETE CASCADE, space_id INT NOT NULL, vec %I.vector(%s) NOT NULL)',
        vectors, place, model_dimension
    );
    EXECUTE format('CREATE INDEX %I ON %I (space_id)', vectors || '_space', vectors);
    -- A vector that fits a page is stored in the row itself, so that comparing needs no second read.
    IF model_dimension <= 1900 THEN EXECUTE format('ALTER TABLE %I ALTER COLUMN vec SET STORAGE PLAIN', vectors); END IF;
    IF session_user <> current_user THEN
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO %I', vectors, session_user);
    END IF;
    RETURN model_id;
END $$;
REVOKE ALL ON FUNCTION open_retrieval_model(TEXT, INT) FROM PUBLIC;

-- Makes the index of a model's vectors unless it is there.
CREATE FUNCTION index_retrieval_model(model_id INT) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    vectors TEXT := 'retrieval_vector_' || model_id;
    place TEXT := (SELECT nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector');
BEGIN
    EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I USING hnsw (vec %I.vector_cosine_ops)', vectors || '_near', vectors, place);
END $$;
REVOKE ALL ON FUNCTION index_retrieval_model(INT) FROM PUBLIC;
