import {
  Brain,
  Bug,
  ChevronRight,
  ChartGantt,
  CodeXml,
  Coins,
  Columns2,
  Copy,
  Download,
  type LucideIcon,
  MessageSquare,
  Moon,
  Paperclip,
  Pencil,
  Plus,
  RotateCw,
  Search,
  SendHorizontal,
  Server,
  Settings2,
  Square,
  Sun,
  SunMoon,
  Trash2,
  Wrench,
  X,
} from 'lucide-react';

/** Icons by their use, so that a use has the same icon everywhere. */
const icons = {
  plus: Plus,
  send: SendHorizontal,
  stop: Square,
  search: Search,
  trash: Trash2,
  download: Download,
  bug: Bug,
  chevron: ChevronRight,
  tool: Wrench,
  copy: Copy,
  sun: Sun,
  moon: Moon,
  auto: SunMoon,
  again: RotateCw,
  edit: Pencil,
  attach: Paperclip,
  code: CodeXml,
  coins: Coins,
  close: X,
  compare: Columns2,
  brain: Brain,
  chat: MessageSquare,
  server: Server,
  traces: ChartGantt,
  settings: Settings2,
} as const satisfies Readonly<Record<string, LucideIcon>>;

export type IconName = keyof typeof icons;

/** A decorative icon next to a label. */
export function Icon({ name }: { name: IconName }) {
  const Shape = icons[name];
  return <Shape className="icon" aria-hidden="true" focusable="false" />;
}
