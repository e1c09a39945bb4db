// What the contracts of tools from Chinese source documents say, in Chinese. A test compares the parameters with the contracts.
interface ChineseTool {
  readonly title: string;
  readonly description: string;
  /** By the path that the table of parameters shows. */
  readonly parameters: Readonly<Record<string, string>>;
}

const birth = {
  birth_date: '公历出生日期，格式 YYYY-MM-DD，1900–2100 年。',
  birth_time: '出生时刻，24 小时制 HH:MM；不知道时可不填。',
  timezone: '出生地的 IANA 时区，例如 Asia/Shanghai。',
};

export const chineseTools: Readonly<Record<string, ChineseTool>> = {
  user_profile_lookup: {
    title: '用户健康档案',
    description:
      '读取一位用户的健康档案：年龄、性别、身高、体重、活动水平、目标、疾病和饮食。用户只能读取自己的档案；读取他人的档案需要权限 profile:read:any。',
    parameters: { user_id: '用户的唯一标识，1–128 个字符。' },
  },
  calc_metrics: {
    title: '健康指标计算',
    description:
      '根据身体数据计算 BMI 及其分类、基础代谢、总能量消耗、理想体重范围、体脂率与肌肉量估计，以及每日热量目标。公式适用于成年人；超出适用范围的估计值为 null。',
    parameters: {
      height_cm: '身高，厘米，100–250。',
      weight_kg: '体重，千克，30–300。',
      age: '年龄，整数岁，1–120。',
      gender: '按哪种性别的公式计算。',
      activity_level: '日常活动水平，从 sedentary（久坐）到 very_active（非常活跃）。',
    },
  },
  search_knowledge: {
    title: '知识检索',
    description:
      '在有出处的文章中查找能回答问题的段落，支持中文和英文，每条结果都带来源和置信度。不指定 domain 时检索所有健康领域；内容不针对任何个人。',
    parameters: {
      query: '问题或关键词，1–200 个字符，中文或英文。',
      domain: '要检索的健康领域；general 表示全部领域。',
      max_results: '返回的结果数，1–20。',
      collection: '知识库名称，例如 health、stripe-onboarding、bazi、zodiac 或 documents：小写字母、数字、连字符。',
      tags: '只返回带有全部这些标签的页面。',
      type: '只检索公开页面或只检索内部页面。',
    },
  },
  get_weather: {
    title: '实时天气',
    description: '查询一座城市此刻的天气。城市名后面可以加地区或国家；找不到的城市会被拒绝。数据来自 Open-Meteo.com。',
    parameters: {
      location: '城市名称，例如“北京”“Beijing”或“San Francisco, CA”，1–100 个字符。',
      unit: '温度单位：celsius（摄氏）或 fahrenheit（华氏）。',
    },
  },
  generate_report: {
    title: '生成报告',
    description:
      '把 Markdown 生成为 PDF、DOCX 或 HTML 文件，返回下载链接。保留表格、列表、代码和中文；不加载图片、脚本和其他嵌入内容，只显示其地址。',
    parameters: {
      title: '报告标题，1–200 个字符。',
      content: '报告内容，Markdown（GFM），1–200,000 个字符。',
      format: '文件格式：pdf、docx 或 html。',
    },
  },
  show_report: {
    title: '展示报告',
    description: '向用户展示一份报告，包含标题、摘要和若干小节。在一次分析完成时使用一次。',
    parameters: {
      title: '报告标题，1–120 个字符。',
      summary: '用几句话说明主要结论。',
      sections: '1–20 个小节，每个小节有标题和正文。',
    },
  },
  show_insight: {
    title: '展示洞察',
    description: '用一张卡片向用户展示一个洞察：一个短标题和一个想法。适合一个值得记住的要点。',
    parameters: {
      title: '卡片标题，1–80 个字符。',
      content: '想法的内容，1–1,000 个字符。',
      tone: '卡片的样式：positive（积极）、neutral（中性）或 caution（提醒）。',
    },
  },
  show_bazi_chart: {
    title: '八字命盘',
    description: '计算并展示出生时刻的四柱（八字）：天干、地支、十神、藏干、五行、节气和大运。不要自行编造四柱，请调用本工具。',
    parameters: {
      ...birth,
      gender: '大运的顺逆取决于性别。',
      longitude: '出生地经度，东经为正，-180–180；填写后时辰按真太阳时计算。',
    },
  },
  show_zodiac_chart: {
    title: '星盘',
    description:
      '计算并展示出生时刻太阳、月亮和行星在回归黄道上的位置及相位；知道时间和地点时还包括上升点。不要自行编造位置，请调用本工具。',
    parameters: { ...birth, latitude: '出生地纬度，北纬为正，-66–66。', longitude: '出生地经度，东经为正，-180–180。' },
  },
  use_skill: {
    title: '使用技能',
    description: '选择使用的技能来回答用户问题。一个技能会被加载并继续对话，多个技能会并行分析后融合；与任何技能无关的问题传空列表。',
    parameters: { skills: '需要使用的技能列表。', topic: '用户关注的话题类型。' },
  },
  read_skill_file: {
    title: '读取技能文件',
    description: '读取一个技能的参考文件，例如术语表。技能本身会说明有哪些文件。',
    parameters: { skill: '技能名称。', file: '文件名，由技能给出。' },
  },
};
