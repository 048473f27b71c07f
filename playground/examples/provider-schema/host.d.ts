// Version 2.0.1 of the host lacks the type files that its manifest names.
declare module '@cherrystudio/ai-core';
declare module '@cherrystudio/ai-core/provider';
