export { createExecutor, definePlugin } from '@cherrystudio/ai-core';
export { ExtensionRegistry, extensionRegistry, ProviderExtension } from '@cherrystudio/ai-core/provider';
export { defaultSettingsMiddleware } from 'ai';
