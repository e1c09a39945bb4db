/** Runs `load` for the first caller and gives everyone its value. A load that failed is run again for the next caller. */
export function once<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined;
  return () => {
    if (loaded) return loaded;
    const loading = load();
    loaded = loading;
    loading.catch(() => void (loaded = undefined));
    return loading;
  };
}
