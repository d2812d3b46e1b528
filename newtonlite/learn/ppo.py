"""PPO: proximal policy optimisation, in one file (Schulman et al. 2017, with generalised advantages).

An episode that is cut off is bootstrapped with the value of its own last observation, V(s_t+1), one that is over with
nothing.
"""

from dataclasses import dataclass

import numpy as np
import torch
import warp as wp
from torch import nn

from newtonlite.core.errors import StateError
from newtonlite.learn.checkpoint import check_weights

LEAST_RATE, MOST_RATE = 1e-5, 1e-2
ACTIVATIONS = {"tanh": nn.Tanh, "elu": nn.ELU, "relu": nn.ReLU}


@dataclass
class PPOSettings:
    """Numbers of the algorithm. ``learning_rate`` is Adam's; with a ``target_kl`` it follows the divergence of each update,
    otherwise it falls to zero. ``image`` (channels, height, width): what the policy sees are pictures, which two convolutions look at.
    """

    iterations: int = 200
    steps: int = 24
    epochs: int = 5
    minibatches: int = 4
    hidden: tuple = (64, 64)
    image: tuple = ()
    activation: str = "tanh"
    learning_rate: float = 3e-4
    target_kl: float | None = None
    gamma: float = 0.99
    lam: float = 0.95
    clip: float = 0.2
    entropy: float = 0.0
    value: float = 0.5
    max_grad_norm: float = 0.5
    initial_std: float = 1.0
    reward_scale: float = 1.0
    normalise_observations: bool = True
    normalise_rewards: bool = False
    seed: int = 1


RENAMED = {"rate": "learning_rate"}
"""Settings by the names that they had before, under which tasks and commands may still give them."""


class Normaliser(nn.Module):
    """Running mean and deviation of rows, over all that were seen, in double precision."""

    def __init__(self, width: int):
        super().__init__()
        self.register_buffer("count", torch.zeros((), dtype=torch.float64))
        self.register_buffer("mean", torch.zeros(width, dtype=torch.float64))
        self.register_buffer("square", torch.zeros(width, dtype=torch.float64))

    @torch.no_grad()
    def update(self, rows: torch.Tensor) -> None:
        """Take in rows, by the pairwise formula of Chan, Golub and LeVeque."""
        rows = rows.double()
        n, mean = rows.shape[0], rows.mean(0)
        off, total = mean - self.mean, self.count + n
        self.square += ((rows - mean) ** 2).sum(0) + off**2 * self.count * n / total
        self.mean += off * n / total
        self.count += n

    def deviation(self) -> torch.Tensor:
        """Standard deviation, 1 before there is one."""
        return (self.square / self.count.clamp(min=1.0)).sqrt() if self.count > 1 else torch.ones_like(self.mean)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Rows less the mean over the deviation, at most 10."""
        return ((rows - self.mean.float()) / (self.deviation().float() + 1e-4)).clamp(-10.0, 10.0)


def network(widths: list, activation: str, last_gain: float) -> nn.Sequential:
    """A network of full layers, initialised orthogonally."""
    layers = []
    for i, (a, b) in enumerate(zip(widths, widths[1:])):
        layer = nn.Linear(a, b)
        last = i == len(widths) - 2
        nn.init.orthogonal_(layer.weight, last_gain if last else 2**0.5)
        nn.init.zeros_(layer.bias)
        layers += [layer] if last else [layer, ACTIVATIONS[activation]()]
    return nn.Sequential(*layers)


def image_network(image: tuple, widths: list, activation: str, last_gain: float) -> nn.Sequential:
    """Two convolutions over rows that are pictures (channels, height, width), then full layers (Mnih et al. 2015, smaller)."""
    kept = nn.Sequential(
        nn.Unflatten(1, tuple(image)),
        nn.Conv2d(image[0], 16, 8, stride=4),
        ACTIVATIONS[activation](),
        nn.Conv2d(16, 32, 4, stride=2),
        ACTIVATIONS[activation](),
        nn.Flatten(),
    )
    for layer in kept:
        if isinstance(layer, nn.Conv2d):
            nn.init.orthogonal_(layer.weight, 2**0.5)
            nn.init.zeros_(layer.bias)
    found = kept(torch.zeros(1, int(np.prod(image)))).shape[1]
    return nn.Sequential(*kept, *network([found, *widths], activation, last_gain))


class ActorCritic(nn.Module):
    """A Gaussian policy with one deviation for each action, and a value; each with its own network and its own group of
    observations.
    """

    def __init__(self, num_actor_obs: int, num_critic_obs: int, actions: int, s: PPOSettings):
        super().__init__()
        if s.image:
            if np.prod(s.image) != num_actor_obs or min(s.image[1:]) < 20:
                raise StateError(
                    f"image={tuple(s.image)}: the policy sees {num_actor_obs} numbers; give (channels, height, width) of pictures from 20 x 20"
                )
            self.actor = image_network(s.image, [*s.hidden, actions], s.activation, 0.01)
        else:
            self.actor = network([num_actor_obs, *s.hidden, actions], s.activation, 0.01)
        self.critic = network([num_critic_obs, *s.hidden, 1], s.activation, 1.0)
        self.log_std = nn.Parameter(torch.full((actions,), float(np.log(s.initial_std))))
        self.actor_norm, self.critic_norm = Normaliser(num_actor_obs), Normaliser(num_critic_obs)
        self.normalise = s.normalise_observations

    def act(self, rows: torch.Tensor) -> torch.Tensor:
        """The mean action."""
        return self.actor(self.scaled(rows, self.actor_norm))

    def evaluate(self, rows: torch.Tensor) -> torch.Tensor:
        """The value."""
        return self.critic(self.scaled(rows, self.critic_norm)).squeeze(-1)

    def scaled(self, rows: torch.Tensor, norm: Normaliser) -> torch.Tensor:
        """Rows as a network takes them."""
        return norm(rows) if self.normalise else rows

    def log_probability(self, mean: torch.Tensor, action: torch.Tensor) -> torch.Tensor:
        """Logarithm of the density of actions."""
        z = (action - mean) / self.log_std.exp()
        return (-0.5 * z**2 - self.log_std - 0.5 * float(np.log(2 * np.pi))).sum(-1)

    def entropy(self) -> torch.Tensor:
        """Entropy of the policy."""
        return (self.log_std + 0.5 * float(np.log(2 * np.pi * np.e))).sum()


def targets(reward, value, next_value, terminated, done, gamma: float, lam: float) -> tuple:
    """(advantages, returns) ``[steps, nworld]`` by generalised advantage estimation.

    ``next_value`` is that of the observation which a step led to, before any reset; it counts unless the episode is
    over (``terminated``), and sums end where it ended in any way (``done``).
    """
    advantage = torch.zeros_like(reward)
    last = torch.zeros_like(reward[0])
    for t in reversed(range(len(reward))):
        delta = reward[t] + gamma * next_value[t] * ~terminated[t] - value[t]
        last = delta + gamma * lam * last * ~done[t]
        advantage[t] = last
    return advantage, advantage + value


class PPO:
    """Collects steps of an ``Environment`` and learns from them. Everything it depends on is in ``state``.

    StateError for minibatches of fewer than two rows.
    """

    def __init__(self, env, settings: PPOSettings):
        self.env, self.settings = env, settings
        rows = settings.steps * env.num_worlds
        if rows < 2 * settings.minibatches:
            raise StateError(
                f"minibatches={settings.minibatches}: {env.num_worlds} worlds of {settings.steps} steps give {rows} rows, "
                "and a minibatch needs two; take fewer minibatches or more worlds"
            )
        torch.manual_seed(settings.seed)
        groups = env.observations
        self.actor_group, self.critic_group = (
            ("policy" if "policy" in groups else next(iter(groups))),
            ("critic" if "critic" in groups else next(iter(groups))),
        )
        self.device = torch.device(wp.device_to_torch(env.device))
        self.policy = ActorCritic(
            groups[self.actor_group].shape[1], groups[self.critic_group].shape[1], env.actions.count, settings
        ).to(self.device)
        self.optimiser = torch.optim.Adam(self.policy.parameters(), lr=settings.learning_rate, eps=1e-5, fused=True)
        self.generator = torch.Generator(self.device).manual_seed(settings.seed)
        self.low, self.high = (
            torch.tensor(b, dtype=torch.float32, device=self.device) for b in (env.actions.low, env.actions.high)
        )
        self.iteration, self.learning_rate = 0, settings.learning_rate
        self.reward_norm = Normaliser(1).to(self.device)
        self.discounted = torch.zeros(env.num_worlds, device=self.device)

    def tensor(self, array: wp.array) -> torch.Tensor:
        """The memory of a Warp array as a tensor."""
        return wp.to_torch(array)

    @torch.no_grad()
    def collect(self) -> tuple:
        """(a batch of ``steps`` steps of all worlds, what is known of the episodes that ended)."""
        env, s, n, policy = self.env, self.settings, self.env.num_worlds, self.policy
        actor_obs, critic_obs = (
            self.tensor(env.observations[self.actor_group]),
            self.tensor(env.observations[self.critic_group]),
        )
        new = lambda *shape, kind=torch.float32: torch.zeros((s.steps, n, *shape), dtype=kind, device=self.device)
        b = {
            "actor_obs": new(actor_obs.shape[1]),
            "critic_obs": new(critic_obs.shape[1]),
            "action": new(env.actions.count),
            "log_probability": new(),
            "value": new(),
            "next_value": new(),
            "reward": new(),
            "terminated": new(kind=torch.bool),
            "done": new(kind=torch.bool),
        }
        episodes = []
        if s.normalise_observations and self.iteration == 0:
            policy.actor_norm.update(actor_obs)
            policy.critic_norm.update(critic_obs)
        for t in range(s.steps):
            b["actor_obs"][t], b["critic_obs"][t] = actor_obs, critic_obs
            action, b["log_probability"][t], b["value"][t] = self.decide(actor_obs, critic_obs)
            b["action"][t] = action
            env.step(wp.from_torch(action.clamp(self.low, self.high).contiguous()))
            b["reward"][t] = self.tensor(env.reward) * s.reward_scale
            b["terminated"][t], b["done"][t] = self.tensor(env.terminated), self.tensor(env.terminations.done)
            b["next_value"][t] = self.evaluate(critic_obs)  # of the observation before any reset
            if b["done"][t].any():
                episodes.append(ended(env))
                env.reset(env.terminations.done)
            if s.normalise_rewards:
                self._scale_reward(b, t)
        self._check(b)
        if s.normalise_observations:
            self.seen = b["actor_obs"].flatten(0, 1), b["critic_obs"].flatten(0, 1)
        return b, episodes

    def decide(self, actor_obs: torch.Tensor, critic_obs: torch.Tensor) -> tuple:
        """(actions, logarithms of their densities, values) for what the policy and the value see."""
        policy = self.policy
        mean = policy.act(actor_obs)
        action = mean + policy.log_std.exp() * torch.randn(mean.shape, generator=self.generator, device=self.device)
        return action, policy.log_probability(mean, action), policy.evaluate(critic_obs)

    def evaluate(self, critic_obs: torch.Tensor) -> torch.Tensor:
        """Values for what the value actor_obs."""
        return self.policy.evaluate(critic_obs)

    def _check(self, b: dict) -> None:
        """StateError for numbers that are not finite: learning from one would spoil the policy for good."""
        for key, group in (
            ("actor_obs", f"observation '{self.actor_group}'"),
            ("critic_obs", f"observation '{self.critic_group}'"),
        ):
            finite = b[key].isfinite().flatten(0, 1).all(0)
            if not finite.all():
                column = int((~finite).nonzero()[0])
                spans = self.env.observation_manager.layout(group.split("'")[1])
                term = next((name for name, (first, n) in spans.items() if first <= column < first + n), column)
                raise StateError(f"{group}: term '{term}' is not finite in some world")
        if not b["reward"].isfinite().all():
            sums = self.env.rewards.sums.numpy()
            bad = [name for i, name in enumerate(self.env.rewards.terms) if not np.isfinite(sums[:, i]).all()]
            raise StateError(f"reward: not finite in some world: {', '.join(bad) or 'a term of an earlier episode'}")

    def _scale_reward(self, b: dict, t: int) -> None:
        """Rewards over the deviation of discounted sums of them."""
        self.discounted = self.discounted * self.settings.gamma + b["reward"][t]
        self.reward_norm.update(self.discounted[:, None])
        self.discounted = self.discounted * ~b["done"][t]
        b["reward"][t] /= self.reward_norm.deviation().float() + 1e-8

    def learn(self, b: dict) -> dict:
        """Improve the policy with a batch; returns numbers to watch."""
        s, policy = self.settings, self.policy
        advantage, returns = targets(
            b["reward"], b["value"], b["next_value"], b["terminated"], b["done"], s.gamma, s.lam
        )
        flat = {k: b[k].flatten(0, 1) for k in ("actor_obs", "critic_obs", "action", "log_probability", "value")}
        flat |= {"advantage": advantage.flatten(), "returns": returns.flatten()}
        flat["actor_obs"] = policy.scaled(flat["actor_obs"], policy.actor_norm)  # once for all minibatches
        flat["critic_obs"] = policy.scaled(flat["critic_obs"], policy.critic_norm)
        if s.target_kl is None:
            self.learning_rate = s.learning_rate * max(0.0, 1.0 - self.iteration / s.iterations)
        losses = []
        for _ in range(s.epochs):
            order = torch.randperm(len(flat["returns"]), generator=self.generator, device=self.device)
            for part in order.chunk(s.minibatches):
                losses.append(self._improve({k: v[part] for k, v in flat.items()}))
        if s.normalise_observations:
            policy.actor_norm.update(self.seen[0])
            policy.critic_norm.update(self.seen[1])
        self.iteration += 1
        numbers = np.mean(losses, axis=0)
        return dict(zip(("loss", "value_loss", "kl", "clipped"), numbers.tolist())) | {
            "learning_rate": self.learning_rate,
            "std": policy.log_std.exp().mean().item(),
        }

    def _improve(self, x: dict) -> tuple:
        """One step of Adam on a minibatch, whose observations are scaled."""
        s, policy = self.settings, self.policy
        log_ratio = policy.log_probability(policy.actor(x["actor_obs"]), x["action"]) - x["log_probability"]
        ratio = log_ratio.exp()
        with torch.no_grad():
            kl = ((ratio - 1) - log_ratio).mean().item()
            clipped = ((ratio - 1).abs() > s.clip).float().mean().item()
        if s.target_kl is not None:
            self.learning_rate = min(
                MOST_RATE,
                max(
                    LEAST_RATE,
                    self.learning_rate * (1 / 1.5 if kl > 2 * s.target_kl else 1.5 if kl < s.target_kl / 2 else 1.0),
                ),
            )
        for group in self.optimiser.param_groups:
            group["lr"] = self.learning_rate
        advantage = (x["advantage"] - x["advantage"].mean()) / (x["advantage"].std() + 1e-8)
        gain = torch.min(ratio * advantage, ratio.clamp(1 - s.clip, 1 + s.clip) * advantage).mean()
        value_loss = ((policy.critic(x["critic_obs"]).squeeze(-1) - x["returns"]) ** 2).mean()
        loss = -gain + s.value * value_loss
        if s.entropy:
            loss = loss - s.entropy * policy.entropy()
        self.optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), s.max_grad_norm)
        self.optimiser.step()
        return loss.item(), value_loss.item(), kl, clipped

    def state(self) -> dict:
        """All that the next iteration depends on, the environment excepted."""
        return {
            "policy": self.policy.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "generator": self.generator.get_state(),
            "iteration": self.iteration,
            "learning_rate": self.learning_rate,
            "reward_norm": self.reward_norm.state_dict(),
            "discounted": self.discounted,
        }

    def load(self, state: dict) -> None:
        """Go on from a state. StateError, and nothing is changed, where it is not one of this policy and these worlds."""
        own = self.state()
        for name in ("policy", "reward_norm"):
            check_weights(state[name], own[name], name)
        check_weights({"discounted": state["discounted"]}, {"discounted": own["discounted"]}, "ppo")
        check_weights({"generator": state["generator"]}, {"generator": own["generator"]}, "ppo")
        moments = self._moments(state["optimiser"])
        self.policy.load_state_dict(state["policy"])
        self.optimiser.load_state_dict({"state": moments, "param_groups": own["optimiser"]["param_groups"]})
        self.generator.set_state(state["generator"])
        self.reward_norm.load_state_dict(state["reward_norm"])
        self.iteration, self.learning_rate = state["iteration"], state["learning_rate"]
        self.discounted = state["discounted"].to(self.device)

    def _moments(self, optimiser: dict) -> dict:
        """Adam's moments of every parameter, by its number. StateError for others."""
        moments, parameters = optimiser.get("state"), list(self.policy.parameters())
        if not isinstance(moments, dict) or moments and set(moments) != set(range(len(parameters))):
            raise StateError("ppo.optimiser: is not of this policy")
        step = torch.zeros((), dtype=torch.float32)
        for k, own in enumerate(parameters) if moments else ():
            if not isinstance(moments[k], dict):
                raise StateError(f"ppo.optimiser.{k} is no table")
            check_weights(moments[k], {"step": step, "exp_avg": own, "exp_avg_sq": own}, f"ppo.optimiser.{k}")
        return moments


def ended(env) -> dict:
    """Returns, lengths and sums of rewards of the episodes that end now, one row each."""
    done = env.terminations.done.numpy()
    sums = env.rewards.sums.numpy()[done]
    episode = {"return": sums.sum(axis=1), "length": env.step_count.numpy()[done], "bad": env.bad.numpy()[done]}
    return episode | {f"reward/{k}": sums[:, i] for i, k in enumerate(env.rewards.terms)}
