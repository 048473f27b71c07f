import { type Skill, type SkillFile, SkillsClient } from '@modelcontextprotocol/client/ext/skills';

export { SkillsClient };

/** A skill of a server. */
export interface McpSkill {
  /** URI of its `SKILL.md`. */
  uri: string;
  name: string;
  /** Says when the skill is useful. */
  description: string;
  /** URIs of its files. @default the server does not list them */
  files?: string[];
}

/** A file of a skill. */
export interface McpSkillFile {
  uri: string;
  mediaType?: string;
  bytes: Uint8Array;
  /** The text, if the server sent one. That of `SKILL.md` is without its front matter. */
  text?: string;
  /** False if the server does not list the files of the skill, so that nothing could be compared. */
  isVerified: boolean;
}

export const toSkill = (skill: Skill): McpSkill => ({
  uri: skill.uri,
  name: skill.frontmatter.name,
  description: skill.frontmatter.description,
  ...(skill.resources !== 'dynamic' && { files: skill.resources.map(file => file.uri) }),
});

export const toSkillFile = ({
  uri,
  mimeType,
  bytes,
  text,
  body = text,
  verified,
}: SkillFile): McpSkillFile => ({
  uri,
  bytes,
  isVerified: verified,
  ...(mimeType !== undefined && { mediaType: mimeType }),
  ...(body !== undefined && { text: body }),
});
