/** The resources of one server that pages follow. Pages that follow the same resource share its subscription. */
export interface Subscriptions {
  /** True while a page follows a resource. */
  readonly isUsed: boolean;
  /**
   * Follows a resource. Rejects if the server does not accept it.
   *
   * @param onRenewed Called after a new connection has the subscription again. Changes may have been missed.
   */
  follow(uri: string, onRenewed: () => void): Promise<Followed>;
  /** Subscribes again, because the connection is new. */
  renew(): void;
  /** Ends all subscriptions. */
  end(): void;
}

export interface Followed {
  /** Resolves if the subscription ends before the page leaves. */
  readonly ended: Promise<void>;
  leave(): Promise<void>;
}

interface Follower {
  readonly onRenewed: () => void;
  readonly onEnd: () => void;
}

interface Subscription {
  readonly followers: Set<Follower>;
  /** Ends the subscription at the server. */
  opened: Promise<() => Promise<void>>;
  /** True after the server has accepted it once. */
  isOpen: boolean;
}

/** @param subscribe Subscribes at the server, and returns a function that ends it. */
export function createSubscriptions(subscribe: (uri: string) => Promise<() => Promise<void>>): Subscriptions {
  const subscriptions = new Map<string, Subscription>();

  function end(uri: string): void {
    const { followers = [] } = subscriptions.get(uri) ?? {};
    subscriptions.delete(uri);
    for (const { onEnd } of followers) onEnd();
  }

  return {
    get isUsed() {
      return subscriptions.size > 0;
    },
    async follow(uri, onRenewed) {
      let onEnd = (): void => {};
      const ended = new Promise<void>(resolve => {
        onEnd = resolve;
      });
      const follower: Follower = { onRenewed, onEnd };
      const shared = subscriptions.get(uri) ?? {
        followers: new Set(),
        opened: subscribe(uri),
        isOpen: false,
      };
      subscriptions.set(uri, shared);
      shared.followers.add(follower);
      try {
        await shared.opened;
        shared.isOpen = true;
      } catch (error) {
        if (subscriptions.get(uri) === shared) end(uri);
        throw error;
      }
      return {
        ended,
        async leave() {
          shared.followers.delete(follower);
          if (shared.followers.size > 0 || subscriptions.get(uri) !== shared) return;
          subscriptions.delete(uri);
          // A server that has ended has no subscriptions.
          await shared.opened.then(unsubscribe => unsubscribe()).catch(() => {});
        },
      };
    },
    renew() {
      for (const [uri, shared] of subscriptions) {
        if (!shared.isOpen) continue;
        shared.opened = subscribe(uri);
        shared.opened.then(
          () => {
            for (const { onRenewed } of shared.followers) onRenewed();
          },
          () => end(uri),
        );
      }
    },
    end() {
      for (const uri of subscriptions.keys()) end(uri);
    },
  };
}
