/** Facts of one SGLang release, from its own metrics code. */

export async function sglangFacts(python, version) {
  const sources = await python.unpack('sglang', version);
  const facts = await python.facts('collect.py', sources, 'prefill');
  const engineType = { prefill: facts.engineType };
  for (const mode of ['decode', 'null']) {
    engineType[mode] = (await python.facts('collect.py', sources, mode, 'engine-type')).engineType;
  }
  const http = await python.facts('http_facts.py', sources);
  return { package: 'sglang', version, ...facts, engineType, http };
}
