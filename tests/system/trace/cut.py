# SPDX-License-Identifier: MIT
"""
For trace_cut.sh: tests which pairs of events nap-trace finds where the oldest events were overwritten.

	cut.py random NAP_TRACE MAKER DIRECTORY FIRST COUNT
	cut.py file NAP_TRACE DIRECTORY FILE

The whole trace is a random one (MAKER is trace_tool), or FILE, the trace of a program. Copies of the trace
lack the oldest events of some tracks, as full rings do, and the events after a snapshot. Each pair of a
copy must be a pair of the whole trace. Each pair of the whole trace must be in the copy if it lies in the
time in which the tracks of the copy are whole. Prints what differs, and exits with 1.
"""
import base64, json, os, random, re, struct, subprocess, sys

UNIT = 10000		# ns; the page names no gap that is shorter

# ---- what nap-trace says

def run(tool, path, base):
	subprocess.run([tool, "--json=" + base + ".json", "--html=" + base + ".html", path], check=True,
		       stderr=subprocess.DEVNULL)
	events = json.load(open(base + ".json"))["traceEvents"]
	facts = json.loads(re.search(r'\{"name":.*?"firstPoint":-?\d+\}', open(base + ".html").read(), re.S)[0])
	return pairs(events), facts["gaps"]

def ns(us):
	return round(us * 1000)

def pairs(events):
	"""Returns all pairs: spans that have both ends, steals with their victims, and arrows."""
	lanes = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
	# A fiber is known by its address, because the name of its function may be missing.
	lanes = {key: name if not name.startswith("fiber") else "fiber " + name.split()[-1] for key, name in lanes.items()}
	lane = lambda e: lanes[(e["pid"], e["tid"])]
	found, tails = set(), {}
	for e in events:
		if e["ph"] == "X" and "not in the trace" not in e["args"].values():
			at = (ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]))
			found.add((e["cat"], lane(e), e["name"], e["args"]["object"]) + at)
			if "stolen from" in e["args"]:
				found.add(("stolen", lane(e), e["args"]["stolen from"], "") + at)
		elif e["ph"] == "s":
			tails[e["id"]] = e
		elif e["ph"] == "f":
			tail = tails[e["id"]]
			found.add(("arrow " + e["cat"], lane(tail), lane(e), "", ns(tail["ts"]), ns(e["ts"])))
	return found

def own(pair):
	"""Whether both ends of the pair are in one track."""
	return not pair[0].startswith("arrow") and pair[0] != "wait"

# ---- whether a copy agrees with the whole

class Copy:
	"""@known: for each lane, the time of its oldest event that is left; @whole: the time from which all tracks
	are whole; @end: the time of the snapshot."""
	def __init__(self, known, whole, end):
		self.known, self.whole, self.end = known, whole, end

def differs(whole, copy, about):
	(all_pairs, all_gaps), (some, gaps) = whole, copy
	wrong = sorted(some - all_pairs)
	# A steal comes up to two units before the stolen task begins.
	lacks = sorted(p for p in all_pairs - some if p[5] <= about.end and p[4] - 2 * UNIT * (p[0] == "stolen") >=
		       (about.known.get(p[1], about.whole) if own(p) else about.whole))
	# The whole trace's gap may begin earlier than the copy's: with a task that the copy lacks.
	odd = [] if len(all_gaps) >= 20 else [g for g in gaps if not any(a["begin"] <= g["begin"] and g["end"] <= a["end"]
		for a in all_gaps)]
	return [("not in the whole", w) for w in wrong] + [("lacks", l) for l in lacks] + [("gap", g) for g in odd]

# ---- random traces

class Pool:
	"""A pool that does something random at each step. Each worker has a track of (time, text); the last track is
	that of threads from outside."""
	def __init__(self, seed):
		self.dice = random.Random(seed)
		self.nr = self.dice.randint(1, 4)
		self.now = 0
		self.tracks = [[] for _ in range(self.nr + 1)]
		self.open = [[] for _ in range(self.nr)]
		self.state = ["runs"] * self.nr		# or "rests" (listed as idle), or "sleeps"
		self.woken = [False] * self.nr
		self.late = {}				# by outside thread: its event that has no place yet
		self.queue = []
		self.free = [0x100 + 16 * i for i in range(self.dice.randint(2, 8))]
		self.waits = []				# fibers that wait
		self.inside_of = {}			# by waiting fiber: the blocking sections around its wait
		self.helps = {}				# by outside thread: whether it waits for a group
		self.lazy = self.dice.random() < .5	# threads seldom wake a worker

	def put(self, who, text, thread=None):
		if who < self.nr:
			self.tracks[who].append((self.now, text))
			return
		# A thread reads the clock, and takes a place in the track later. Other threads may
		# take places in between.
		thread = thread or self.dice.randint(77, 79)
		self.place(thread)
		self.late[thread] = (self.now, text + " thread=%d" % thread)
		if self.dice.random() < .5:
			self.place(thread)

	def place(self, thread):
		if thread in self.late:
			self.tracks[self.nr].append(self.late.pop(thread))

	def schedule(self, who):
		if self.waits and self.dice.random() < .5:
			task, fiber = self.waits.pop(self.dice.randrange(len(self.waits))), True
		elif self.free:
			task = self.free.pop(self.dice.randrange(len(self.free)))
			fiber = task % 32 == 0
		else:
			return
		flags = self.dice.choice([0, 0, 1, 2, 4])
		self.queue.append((task, fiber))
		self.put(who, "schedule a=%d b=%d flags=%d" % (task, 0x5000 if fiber else 0x1000 + task, flags))
		if not self.lazy or self.dice.random() < .3:
			self.now += self.dice.randint(1, 3)
			self.wake(who)

	def wake(self, who):
		able = [w for w in range(self.nr) if self.state[w] != "runs" and not self.woken[w] and w != who]
		if able:
			whom = self.dice.choice(able)
			self.woken[whom] = True
			self.put(who, "wake other=%d" % whom)

	def begin(self, w):
		if not self.queue:
			return
		task, fiber = self.queue.pop(self.dice.randrange(len(self.queue)))
		if self.dice.random() < .3 and self.nr > 1:
			self.put(w, "steal a=1 b=%d other=%d" % (task, (w + 1) % self.nr))
			self.now += 1
		self.put(w, "begin a=%d b=%d" % (task, 0x5000 if fiber else 0x1000 + task))
		self.open[w].append(("task", task, fiber))
		if fiber:
			self.now += 1
			self.put(w, "fiber_resume a=%d b=12288" % task)
			self.open[w].append(("fiber", task, fiber))
			for what in self.inside_of.pop(task, []):
				self.now += 1
				self.put(w, "block_end a=%d" % what)

	def end(self, w):
		kind, what, fiber = self.open[w].pop()
		if kind == "task":
			self.put(w, "end a=%d b=%d" % (what, 0x5000 if fiber else 0x1000 + what))
			if not fiber:
				self.free.append(what)
			elif self.gone:
				self.free.append(what)
			else:
				self.waits.append(what)
		elif kind == "fiber":
			self.gone = self.dice.random() < .3 and what not in self.inside_of
			self.put(w, "fiber_end a=%d b=12288" % what if self.gone else "fiber_suspend a=%d b=7 flags=9" % what)
			self.now += 1
			self.end(w)
		else:
			self.put(w, "%s_end a=%d b=%d" % (kind, what, 0x2000 + what % 4))

	def inside(self, w):
		kind = self.dice.choice(["job", "join", "wait", "block"])
		what = self.dice.randint(1, 9)
		self.open[w].append((kind, what, False))
		self.put(w, "%s_begin a=%d b=%d other=%d" % (kind, what, 0x2000 + what % 4, (w + 1) % self.nr))

	def worker(self, w):
		dice = self.dice.random()
		if self.state[w] == "rests" and self.queue and dice < .3:
			# The worker finds a task in its last check. If a wake-up is on its way,
			# this takes the wake-up.
			self.state[w], self.woken[w] = "runs", False
			self.begin(w)
		elif self.state[w] == "rests":
			self.put(w, "park")
			self.state[w] = "sleeps"
		elif self.state[w] == "sleeps":
			# A woken worker goes on soon. Any other worker goes on rarely, as if by a
			# timeout.
			if self.woken[w] and dice < .6 or dice < .02:
				self.put(w, "unpark a=%d" % (2 if self.woken[w] else 0))
				self.state[w], self.woken[w] = "runs", False
		elif self.open[w] and dice < .4:
			if len(self.open[w]) > 1 and self.open[w][-1][0] == "block" and self.open[w][-2][0] == "fiber":
				# The fiber waits inside the section, and may go on where the
				# section did not begin.
				self.inside_of[self.open[w][-2][1]] = [self.open[w].pop()[1]]
			self.end(w)
		elif self.open[w] and dice < .5:
			self.inside(w)
		elif self.open[w] and dice < .6:
			self.put(w, "range a=%d b=4" % self.dice.randint(0, 99))
		elif dice < .7 or self.open[w]:
			if self.open[w] and dice < .8:
				self.schedule(w)
			elif not self.open[w] or self.open[w][-1][0] in ("wait", "join"):
				self.begin(w)
		else:
			self.state[w] = "rests"

	def play(self, steps):
		for _ in range(steps):
			self.now += self.dice.randint(1, 30)
			who = self.dice.randrange(self.nr + 1)
			if who < self.nr:
				self.worker(who)
			elif self.dice.random() < .3:
				self.schedule(who)
			elif self.dice.random() < .3:
				thread = self.dice.randint(77, 79)
				self.helps[thread] = not self.helps.get(thread)
				self.put(who, "wait_begin a=3" if self.helps[thread] else "wait_end a=3", thread)
		for thread in list(self.late):
			self.place(thread)

def thread_of(event):
	return event[1].split("thread=")[1]

def outside_known(track):
	"""Returns the time from which the outside track is whole: that of the first event whose thread has an earlier
	event here. That thread read the clock for it when all overwritten events had their times and places."""
	seen = set()
	for event in track:
		if thread_of(event) in seen:
			return event[0]
		seen.add(thread_of(event))
	return 1 << 62

def text_of(tracks, lost, end, extra=""):
	out = ["joined" if end is None else "end %d" % (end * UNIT)]
	for i, track in enumerate(tracks):
		out.append("worker %d" % i if i < len(tracks) - 1 else "outside\n" + extra)
		out.append("lost %d" % lost[i])
		out += ["%d %s" % (at * UNIT, text) for at, text in track]
	return "\n".join(out) + "\n"

def make(maker, text, path):
	with open(path, "wb") as to:
		subprocess.run([maker], input=text.encode(), stdout=to, check=True)

def cut(dice, tracks):
	"""Returns what is left of the tracks, how many events each has lost, and the snapshot's time or None."""
	end = None
	if dice.random() < .5:
		end = dice.randint(1, max(t[-1][0] for t in tracks if t))
		# The tracks are copied one after another, some time after the snapshot.
		copied, kept = end, []
		for track in tracks:
			copied += dice.randint(0, 1000)
			kept.append([e for e in track if e[0] <= copied])
		tracks = kept
	lost = [dice.choice([0, dice.randint(0, len(t))]) if t else 0 for t in tracks]
	lost = [min(n, len(t) - 1) if t else 0 for n, t in zip(lost, tracks)]
	return [t[n:] for n, t in zip(lost, tracks)], lost, end

def about(tracks, lost, end, whole_end):
	known = {"worker %d" % i: t[0][0] for i, t in enumerate(tracks[:-1]) if lost[i]}
	whole = max(list(known.values()) + [outside_known(tracks[-1]) if lost[-1] else -1])
	known = {name: at * UNIT for name, at in known.items()}
	# The events of a fiber's lane are in workers' tracks.
	known.update({"worker %d" % i: known.get("worker %d" % i, -1) for i in range(len(tracks))})
	return Copy(known, whole * UNIT, UNIT * (whole_end if end is None else end))

def by_chance(tool, maker, directory, first, count):
	base, wrong, checked = os.path.join(directory, "chance"), [], 0
	for seed in range(first, first + count):
		pool, dice = Pool(seed), random.Random(-seed)
		pool.play(dice.randint(50, 900))
		if not any(pool.tracks):
			continue
		make(maker, text_of(pool.tracks, [0] * len(pool.tracks), None), base)
		whole = run(tool, base, base)
		for copy in range(3):
			tracks, lost, end = cut(dice, pool.tracks)
			make(maker, text_of(tracks, lost, end), base)
			said = run(tool, base, base)
			of = about(tracks, lost, end, pool.now)
			wrong += [(seed, copy) + d for d in differs(whole, said, of)]
			checked += len(said[0])
		# A pair with an end in a track that has holes may be missing.
		tracks = pool.tracks[:-1] + [[e for e in pool.tracks[-1] if dice.random() < .8]]
		make(maker, text_of(tracks, [0] * len(tracks), None, "dropped 1"), base)
		said = run(tool, base, base)
		wrong += [(seed, "holes") + d for d in differs(whole, said, Copy({}, 1 << 62, -1))]
		if wrong:
			break
	return wrong, checked

# ---- traces of programs

WORKER, OUTSIDE = 5, 6

def of_program(tool, directory, path):
	base, wrong, checked = os.path.join(directory, "program"), [], 0
	data, dice = open(path, "rb").read(), random.Random(1)
	header, event, outside, section = struct.unpack_from("<IIII", data, 16)
	begin_ticks, begin_ns, end_ticks, end_ns = struct.unpack_from("<QQQQ", data, 64)
	whole = run(tool, path, base)
	for copy in range(6):
		out, at, known = data[:header], header, {}
		while at < len(data):
			kind, number, length = struct.unpack_from("<IIQ", data, at)
			body = data[at + section:at + section + length]
			if kind in (WORKER, OUTSIDE):
				written, kept, lost, dropped = struct.unpack_from("<QQQQ", body)
				each = event if kind == WORKER else outside
				ring = dice.choice([16, 64, 256, 1024, 1 << 30])
				keep = min(kept, ring)
				events = body[32 + (kept - keep) * each:]
				body = struct.pack("<QQQQ", written, keep, written - keep, dropped) + events
				if keep < kept:
					ticks = struct.unpack_from("<Q", events)[0]
					# Rounds down, as the tool does.
					known[(kind, number)] = (ticks - begin_ticks) * (end_ns - begin_ns) // (end_ticks - begin_ticks)
			out += struct.pack("<IIQ", kind, number, len(body)) + body + bytes(-len(body) % 8)
			at += section + length + -length % 8
		open(base, "wb").write(out)
		lanes = {"worker %d" % n: at for (kind, n), at in known.items() if kind == WORKER}
		# If events from outside were lost, this script does not know from when on the outside
		# track is whole. Then it checks only for wrong pairs, not for missing ones.
		late = (OUTSIDE, 0) in known
		of = Copy({} if late else {**{"worker %d" % i: -1 for i in range(64)}, **lanes},
			  1 << 62 if late else max([-1] + list(known.values())), 1 << 62)
		said = run(tool, base, base)
		wrong += [(copy,) + d for d in differs(whole, said, of)]
		checked += len(said[0])
	return wrong, checked

if sys.argv[1] == "random":
	wrong, checked = by_chance(*sys.argv[2:5], int(sys.argv[5]), int(sys.argv[6]))
else:
	wrong, checked = of_program(*sys.argv[2:5])
for line in wrong[:20]:
	print(*line)
print(checked, "pairs")
sys.exit(1 if wrong or not checked else 0)
