import { type Fields, fieldsOf, renamed, withoutUndefined } from './fields.js';

/** Where the commands of the `shell` tool run, in the wire's names; nothing when the API is to choose. */
export function toShellEnvironment(environment: unknown): Fields | undefined {
  const fields = fieldsOf(environment);
  if (fields === undefined) return undefined;
  const { type = 'local', containerId, fileIds, memoryLimit, networkPolicy, skills } = fields;
  return withoutUndefined({
    type: environmentTypes[String(type)] ?? type,
    container_id: containerId,
    file_ids: fileIds,
    memory_limit: memoryLimit,
    network_policy: renamed(networkPolicy, {
      type: 'type',
      allowedDomains: 'allowed_domains',
      domainSecrets: 'domain_secrets',
    }),
    skills: Array.isArray(skills) ? skills.map(toSkill) : undefined,
  });
}

const environmentTypes: Readonly<Record<string, string>> = {
  containerAuto: 'container_auto',
  containerReference: 'container_reference',
};

function toSkill(skill: unknown): unknown {
  const { type, skillId, providerReference, version, name, description, source } = fieldsOf(skill) ?? {};
  if (type === 'skillReference') {
    // Later versions of the AI SDK name a skill by one id for each provider that has it.
    const id = skillId ?? fieldsOf(providerReference)?.openai;
    return withoutUndefined({ type: 'skill_reference', skill_id: id, version });
  }
  if (type !== 'inline') return skill;
  return withoutUndefined({
    type,
    name,
    description,
    source: renamed(source, { type: 'type', mediaType: 'media_type', data: 'data' }),
  });
}
