// The memories that a turn's first `thinking` mentions.
import type { ProfileName } from "./profiles.ts";

/** What the first `thinking` of a turn tells of the memories that were found. */
export function usualMemories(profile: ProfileName): object {
  const counts = {
    summaries_count: 0,
    details_count: 0,
    project_docs_count: 0,
    user_context_count: 0,
    wiki_pages_count: 0,
  };
  if (profile !== "v2") return { ...counts, has_context: true };
  return {
    ...counts,
    cross_session_insights_count: 0,
    pattern_count: 0,
    thread_count: 0,
    question_count: 0,
    tool_count: 0,
    has_context: true,
    context_sizes: {
      hierarchical: 3,
      user: 0,
      project: 0,
      self_model: 0,
      intentions: 0,
      graph: 0,
      wiki: 0,
      insights: 0,
      goals: 0,
      patterns: 0,
      threads: 0,
      questions: 0,
      intro: 0,
      total: 3,
      tool_count: 0,
    },
  };
}
