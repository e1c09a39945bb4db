import { useQuery } from '@tanstack/react-query';
import { invoq } from './gateway.js';

const longMs = 5 * 60_000;

/** The definitions of all tools that the caller may call. */
export function useTools() {
  return useQuery({ queryKey: ['tools'], queryFn: () => invoq.tools(), staleTime: longMs });
}

export function useTool(name: string) {
  return useQuery({ queryKey: ['tools', name], queryFn: () => invoq.tool(name), staleTime: longMs });
}
